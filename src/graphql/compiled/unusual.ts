// How the compiled path says that something is for graphql-js to do.

/** An operation, or a value of its answer, is not what the compiled path is made for. */
export class UnusualError extends Error {
  override readonly name = 'UnusualError';
}

/** The one that is thrown while an answer is made: nobody looks at it, so that it needs no stack of its own. */
export const unusual = new UnusualError('for graphql-js');
