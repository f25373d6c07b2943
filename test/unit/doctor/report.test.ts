// The form of the doctor's table.
import { expect, test } from 'vitest';
import { tableOf } from '../../../doctor/report.ts';

test('tableOf aligns all columns, except after an answer that is longer than a line has room for', () => {
  const question = 'Do rows with the same createdAt keep their order?';
  const long = '/persons accounts[].investmentAccount';
  const findings = [
    { id: 'ties', question, answer: 'yes', seen: 'read 9 times' },
    { id: 'page-beyond', question: 'After the last page?', answer: 'no rows', seen: 'page=5' },
    { id: 'missing-fields', question: 'Which fields?', answer: long, seen: 'null' },
  ];
  const pad = (text: string) => text.padEnd(question.length);
  expect(tableOf({ findings, settings: {} }).split('\n').slice(0, 4)).toEqual([
    `${pad('question')}  answer   seen`,
    `${question}  yes      read 9 times`,
    `${pad('After the last page?')}  no rows  page=5`,
    `${pad('Which fields?')}  ${long}  null`,
  ]);
});
