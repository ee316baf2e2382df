import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvOf } from '../../../src/pos/api/report-csv.ts';

test('what a spreadsheet would calculate is text, in its full width and behind blanks too', () => {
  for (const name of ['=1+1', '+1', '-1', '@x', '＝1+1', '＋1', '－1', '＠x', ' =1', '\u3000=1', '\t1']) {
    assert.equal(csvOf(['name'], [[name]]), `name\r\n'${name}\r\n`, name);
  }
  assert.equal(csvOf(['name', 'sum'], [['Ann', '-1.00'].map(String)]), "name,sum\r\nAnn,'-1.00\r\n");
  assert.equal(csvOf(['name', 'count'], [['Ann', -1]]), 'name,count\r\nAnn,-1\r\n');
});

test('what separates fields somewhere is quoted', () => {
  assert.equal(
    csvOf(['name'], [['a;b'], ['a,b'], ['a"b'], ['a\nb']]),
    'name\r\n"a;b"\r\n"a,b"\r\n"a""b"\r\n"a\nb"\r\n',
  );
});
