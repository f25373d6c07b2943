// The arguments of a script.

/** An option that each script has. */
export const help = { type: 'boolean', short: 'h' } as const;

/**
 * Returns the result of `parse`. Ends the process with 0 and the usage if `--help` was given; with 2 and one line if
 * `parse` throws a TypeError, as parseArgs does for a wrong option.
 */
export function readArguments<T extends { readonly values: { readonly help?: boolean } }>(
  usage: string,
  parse: () => T,
): T {
  try {
    const given = parse();
    if (given.values.help !== true) return given;
    console.log(`Usage: ${usage}`);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message} Usage: ${usage}`);
    process.exit(2);
  }
}
