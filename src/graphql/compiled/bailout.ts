// How the compiled path says that graphql-js has to answer.

/** An operation, or a value of its answer, is not what the compiled path is made for; the message says in what. */
export class Bailout extends Error {
  override readonly name = 'Bailout';
}

/** The one that is thrown while an answer is written: nobody reads it, so it needs no stack of its own. */
export const bailout = new Bailout('for graphql-js');
