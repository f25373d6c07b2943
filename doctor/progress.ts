// Shows on a terminal what the doctor is doing.
import type { Progress } from './checkup.ts';

type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;

const startOfLine = '\r\x1b[K';

/** Overwrites one line of a terminal; writes nothing if the output is not one. */
export function progressOn(output: Output): {
  readonly show: Progress;
  readonly clear: () => void;
} {
  const write = (line: string) => {
    if (output.isTTY) output.write(startOfLine + line);
  };
  return {
    show: (step, answers) => write(`Examining ${step}: ${answers} answers so far`),
    clear: () => write(''),
  };
}
