// Reading the objects of an answer at the places that a table names, and the violations that are reported.
import { expect, test } from 'vitest';
import { answerReader } from '../../../src/upstream/answers/answer-reader.ts';
import { AnswerCheck } from '../../../src/upstream/shape/check.ts';
import { flag, text, uuid } from '../../../src/upstream/shape/field-types.ts';

const read = (objects: Parameters<typeof answerReader>[0], sent: string) => {
  const answer = new AnswerCheck();
  const found = answerReader(objects)(Buffer.from(sent), answer);
  return { ...found, violations: answer.violations };
};

test('an answer that is one object is read, and its violations are reported', () => {
  const objects = { '': { fields: { name: text, isOpen: flag } } };
  const right = read(objects, '{"isOpen": true, "name": "a"}');
  expect(right).toMatchObject({ '': { name: 'a', isOpen: true }, violations: [] });
  expect(read(objects, '{"isOpen": 1}')).toMatchObject({ violations: ['/isOpen'] });
  expect(read(objects, '[]')).toMatchObject({ violations: [''] });
  expect(() => read(objects, '{"isOpen": true')).toThrow('the body is not JSON');
});

test('an answer with objects and lists of objects is read, and its violations are reported', () => {
  const objects = { one: { fields: { name: text } }, 'many[]': { fields: { name: text } } };
  const right = read(objects, '{"many": [{"name": "a"}, {}], "other": [], "one": {"name": "b"}}');
  expect(right).toMatchObject({ one: { name: 'b' }, 'many[]': [{ name: 'a' }, { name: null }] });
  const wrong = read(objects, '{"many": [{"name": 1}, 2], "one": [3]}');
  expect(wrong.violations).toEqual(['/many/0/name', '/many/1', '/one']);
  expect(read(objects, '{"many": {}, "one": null}').violations).toEqual(['/many']);
  expect(() => read(objects, '[]')).toThrow('the body is not an object');
});

test('a violation of a required field is the only violation that is reported for its object', () => {
  const objects = { one: { fields: { id: uuid, name: text } } };
  expect(read(objects, '{"one": {"name": 1, "id": 2}}').violations).toEqual(['/one/id']);
  expect(read(objects, '{"one": {"name": 1}}').violations).toEqual(['/one/id']);
});
