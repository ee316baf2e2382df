import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentRefusal } from '../../../src/base/http/body.ts';

test('JSON in UTF-8, however its type is written', () => {
  for (const type of [
    'application/json',
    'APPLICATION/JSON',
    'application/json;',
    'application/json ; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset=utf8',
    'application/json; charset="utf-8"',
    'application/json; charset="ut\\f-8"',
    'application/json; CHARSET = UTF-8',
    'application/json; profile="x; charset=latin1"; charset=utf-8',
    'application/json; charset=utf-8; charset=UTF-8',
    'application/json; version=2; q',
    'application/json; odata.metadata=minimal',
    'application/json; ; charset=utf-8',
  ])
    assert.equal(contentRefusal({ type }), undefined, type);
});

test('another charset, wherever it is named', () => {
  for (const type of [
    'application/json; charset=latin1',
    'application/json; charset="utf-8"x; charset=latin1',
    'application/json;charset=utf-16',
    'application/json; charset="iso-8859-1"',
    'application/json; charset=us-ascii',
    'application/json; charset=',
    'application/json; charset=""',
    'application/json; charset=utf-8; charset=big5',
    'application/json; charset=big5; charset=utf-8',
    'application/json; version=2; Charset=gb18030',
    'application/json; profile="a\\";b"; charset=latin1',
    'application/json; ; charset=latin1',
    'application/json; charset=utf-8, text/plain',
    'application/json; charset=utf-8x',
  ])
    assert.equal(contentRefusal({ type }), 'not-utf8-type', type);
});

test('another type', () => {
  for (const type of [
    '',
    'text/plain',
    'application/jsonp',
    'application/json-seq',
    'text/plain; application/json',
    'application/json, text/plain',
  ])
    assert.equal(contentRefusal({ type }), 'not-json-type', type);
});

test('a coding comes before the type: nobody knows what is in it', () => {
  const type = 'text/plain';
  for (const encoding of [
    'gzip',
    'GZIP',
    'x-gzip',
    'deflate',
    'br',
    'zstd',
    'identity, gzip',
    'gzip,identity',
    'aes128gcm',
  ])
    assert.equal(contentRefusal({ type, encoding }), 'encoded', encoding);
  for (const encoding of ['', 'identity', ' Identity ', 'identity, identity', ','])
    assert.equal(contentRefusal({ type: 'application/json', encoding }), undefined, encoding);
});

test('a type of many parameters is read in no time', () => {
  const begunMs = performance.now();
  for (const part of ['; ', ';x', '; x="', ' ', '\t;', ';charset', ';x=\\"'])
    contentRefusal({ type: `application/json${part.repeat(8_000)}` });
  assert.ok(performance.now() - begunMs < 1_000);
});
