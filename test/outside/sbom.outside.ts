import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { ownSbom } from '../packaging/own-sbom.ts';
import { here } from './tools.ts';

interface Library {
  readonly Spec: { readonly Version: { readonly v1dot6: string } };
  readonly Validation: {
    readonly JsonStrictValidator: new (version: string) => { validate(text: string): Promise<unknown> };
  };
}

/** OWASP's own validator: null if the document is valid against the strict schema. */
async function validate(text: string): Promise<unknown> {
  const { Spec, Validation } = createRequire(here)('@cyclonedx/cyclonedx-library') as Library;
  return new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text);
}

test('the list of contents is CycloneDX 1.6', async () => {
  assert.equal(await validate(ownSbom()), null);
});

test('the validator finds what is wrong with one that is not', async () => {
  const wrong = JSON.parse(ownSbom()) as { components: { type: string }[] };
  wrong.components[0] = { type: 'thing' };
  assert.notEqual(await validate(JSON.stringify(wrong)), null);
});
