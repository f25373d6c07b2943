// Errors with one cause at many places of an answer, such as a thousand references for a caller whom the service
// refuses. They are created, logged and formatted once.
import type { FormattedExecutionResult, GraphQLError } from 'graphql';

type Path = readonly (string | number)[];

/**
 * The same error at another place. graphql-js keeps an error that has a path, but makes a new GraphQLError of any
 * other, with a stack trace and a search for its place in the text.
 */
export function errorAt(error: GraphQLError, path: Path): GraphQLError {
  return Object.assign(Object.create(error) as GraphQLError, { path });
}

/** The paths of each remaining error of an answer, keyed by the operation's context. */
const folded = new WeakMap<object, readonly (readonly Path[])[]>();

/**
 * Of consecutive errors that `errorAt` derived from the same error, keeps only the first; `unfoldErrors` restores the
 * others.
 */
export function foldErrors(errors: GraphQLError[], context: object): void {
  const kept: GraphQLError[] = [];
  const paths: Path[][] = [];
  let before: unknown = null;
  for (const error of errors) {
    const origin: unknown = Object.getPrototypeOf(error);
    const isRepeated = origin === before && 'originalError' in (origin as object);
    if (!isRepeated) {
      kept.push(error);
      paths.push([]);
    }
    paths.at(-1)?.push(error.path ?? []);
    before = origin;
  }
  if (kept.length === errors.length) return;
  errors.splice(0, Infinity, ...kept);
  folded.set(context, paths);
}

/** The answer with all its errors, as clients receive it. */
export function unfoldErrors(
  answer: FormattedExecutionResult,
  context: object,
): FormattedExecutionResult {
  const paths = folded.get(context);
  if (paths === undefined || answer.errors === undefined) return answer;
  const errors = answer.errors.flatMap((error, index) => {
    const places = paths[index] ?? [];
    return places.length < 2 ? error : places.map((path) => ({ ...error, path }));
  });
  return { ...answer, errors };
}
