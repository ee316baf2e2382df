import type { IncomingMessage } from 'node:http';
import { type Call, calls } from './fields.ts';
import { decodeForm, type Form, isFormType, MalformedForm } from './form.ts';
import { isSignature, type SignType, signTypeOf } from './signature.ts';

export interface Credentials {
  readonly appCode: string;
  readonly key: string;
}

/** An authenticated request. */
export interface Admitted {
  readonly form: Form;
  readonly signType: SignType;
}

/** 1103: request format error. 1108: signature error. */
export interface Rejected {
  readonly respcd: '1103' | '1108';
  readonly finding: string;
}

/** The call of a path, or the HTTP status of an invalid request. */
export function callOf({ method, url }: IncomingMessage): Call | 404 | 405 {
  const call = calls.get(url ?? '');
  if (!call) return 404;
  return method === 'POST' ? call : 405;
}

export function admit({ headers }: IncomingMessage, body: Buffer, { appCode, key }: Credentials): Admitted | Rejected {
  if (!isFormType(headers['content-type'])) return malformed('a body that is said to be no form');
  const form = decoded(body);
  if ('respcd' in form) return form;
  if (text(headers['x-qf-appcode']) !== appCode) return unsigned('an X-QF-APPCODE that is missing or unknown');
  const signType = signTypeOf(text(headers['x-qf-signtype']));
  if (!signType) return unsigned('an X-QF-SIGNTYPE that is neither MD5 nor SHA256');
  if (!isSignature(text(headers['x-qf-sign']), form, key, signType)) {
    return unsigned('an X-QF-SIGN that is missing or does not fit');
  }
  return { form, signType };
}

function decoded(body: Buffer): Form | Rejected {
  try {
    return decodeForm(body);
  } catch (error) {
    if (error instanceof MalformedForm) return malformed(error.message);
    throw error;
  }
}

function text(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

function malformed(finding: string): Rejected {
  return { respcd: '1103', finding };
}

function unsigned(finding: string): Rejected {
  return { respcd: '1108', finding };
}
