// Environment variables that look like settings and are none: UPSTREM_URL, JWT_JWKS.

/** Prefixes that few other programs use. */
const ownPrefix = /^(?:UPSTREAM|JWT|OPERATIONS?|RATE_LIMIT|SHUTDOWN)_/;

/** Kubernetes sets such variables for a Service with the name of a prefix. */
const fromKubernetes = /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)?$/;

/** A shorter name, such as HOST, is close to names of other programs. */
const minLength = 8;
const maxEdits = 2;

/** Each variable with the setting that it is most like. `names` are those of all settings. */
export function misspelt(
  variables: readonly string[],
  names: readonly string[],
): readonly (readonly [variable: string, setting: string])[] {
  const known = new Set(names);
  return variables.flatMap((variable) => {
    if (known.has(variable) || fromKubernetes.test(variable)) return [];
    const [nearest] = names
      .map((name) => [name, distance(variable, name)] as const)
      .reduce((best, next) => (next[1] < best[1] ? next : best));
    const isClose = variable.length >= minLength && editsBetween(variable, nearest) <= maxEdits;
    return isClose || ownPrefix.test(variable) ? [[variable, nearest] as const] : [];
  });
}

/** A name that only lacks its end, such as JWT_JWKS, is nearer than any other. */
function distance(variable: string, name: string): number {
  return name.startsWith(variable) ? 0 : editsBetween(variable, name);
}

/** The least number of characters to insert, delete or replace (Levenshtein). */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, n) => n);
  for (let n = 0; n < one.length; n++) {
    const next = [n + 1];
    for (let m = 0; m < other.length; m++) {
      const replaced = (row[m] ?? 0) + (one[n] === other[m] ? 0 : 1);
      next.push(Math.min(replaced, (row[m + 1] ?? 0) + 1, (next[m] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
