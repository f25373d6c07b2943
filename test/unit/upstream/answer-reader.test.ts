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

test('an answer that is one list is read, and its violations are reported', () => {
  const objects = { '[]': { fields: { id: uuid, name: text } } };
  const id = '5f6c1a52-7f57-4d39-9f2c-6a1f9d0c7e12';
  const right = read(objects, ` [ {"name": "a", "id": "${id}"}, {"id": "${id}"} ] `);
  expect(right).toMatchObject({ '[]': [{ id, name: 'a' }, { name: null }], violations: [] });
  expect(read(objects, '[]')).toMatchObject({ '[]': [], violations: [] });
  const wrong = read(objects, `[{"name": 1, "id": "${id}"}, 2, {"id": 3}]`);
  expect(wrong.violations).toEqual(['/0/name', '/1', '/2/id']);
  for (const other of ['{}', 'null', '7']) {
    expect(read(objects, other).violations).toEqual(['']);
  }
  expect(() => read(objects, '[{}')).toThrow('the body is not JSON');
  expect(() => read(objects, '[] []')).toThrow('the body is not JSON');
});

test.each(['data.cards', 'data.cards[]', '/data', 'data[0]', '[][]', '[]data', 'a"b', ' data'])(
  'the place %j, which cannot be read, is refused when the reader is created',
  (place) => {
    expect(() => answerReader({ [place]: { fields: {} } })).toThrow(`can be at '${place}'`);
  },
);

test.each([
  ['', 'data'],
  ['[]', 'data'],
  ['', '[]'],
  ['data', 'data[]'],
])('the places %j and %j are refused together, because they overlap', (...places) => {
  const objects = Object.fromEntries(places.map((place) => [place, { fields: {} }]));
  expect(() => answerReader(objects)).toThrow(`overlap: '${places.join("', '")}'`);
});

test('a violation of a required field is the only violation that is reported for its object', () => {
  const objects = { one: { fields: { id: uuid, name: text } } };
  expect(read(objects, '{"one": {"name": 1, "id": 2}}').violations).toEqual(['/one/id']);
  expect(read(objects, '{"one": {"name": 1}}').violations).toEqual(['/one/id']);
});
