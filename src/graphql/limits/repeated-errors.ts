// Folds errors that have one cause but many places in an answer, so each cause is logged and formatted only once.
import type { FormattedExecutionResult, GraphQLError } from 'graphql';

type Path = readonly (string | number)[];

/** The same error at another path. Without a path, graphql-js would create a new error, and take a stack trace. */
export function errorAt(error: GraphQLError, path: Path): GraphQLError {
  return Object.assign(Object.create(error) as GraphQLError, { path });
}

/** For each error that was kept in an answer, all its paths. Keyed by the operation's context. */
const folded = new WeakMap<object, readonly (readonly Path[])[]>();

/** Keeps only the first of consecutive errors that `errorAt` derived from the same one; see `unfoldErrors`. */
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
