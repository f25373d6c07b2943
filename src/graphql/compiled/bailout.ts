// The signal that graphql-js has to answer.

/** An operation, or a value of its answer, is not supported by the fast path; the message names the reason. */
export class Bailout extends Error {
  override readonly name = 'Bailout';
}

/** Thrown while an answer is written: a single object, because its stack is never read. */
export const bailout = new Bailout('for graphql-js');
