// The doctor's report, as a table for people or as JSON.
import type { Checkup } from './checkup.ts';
import type { Finding } from './finding.ts';

/** The table of questions, answers and observations, followed by the settings in the form of an environment file. */
export function tableOf({ findings, settings }: Checkup): string {
  const rows = [['question', 'answer', 'seen'], ...findings.map(cellsOf)];
  const widths = widestCells.map((widest, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0).filter((width) => width <= widest)),
  );
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const variables = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return [...lines, '', 'Settings to use:', ...variables].join('\n');
}

/**
 * The widest cells that count for the width of the first two columns, in characters. A longer answer is neither cut nor
 * counted, because it would push the third column of every row out of sight.
 */
const widestCells = [Infinity, 24];

function cellsOf({ question, answer, seen }: Finding): string[] {
  return [question, answer ?? '?', seen];
}

export function jsonOf(checkup: Checkup): string {
  return JSON.stringify(checkup, null, 2);
}
