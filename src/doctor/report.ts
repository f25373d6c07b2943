// The doctor's report, as a table for people or as JSON.
import type { Checkup } from './checkup.ts';
import type { Finding } from './finding.ts';

/** The table of questions, answers and observations, followed by the settings in the form of an environment file. */
export function tableOf({ findings, settings }: Checkup): string {
  const rows = [['question', 'answer', 'seen'], ...findings.map(cellsOf)];
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => shownWidth(row[column]))));
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
 * The largest width to which the cells of a column are padded, in characters. Longer cells are not cut. Without this
 * limit, one long cell would push the third column of every row out of sight.
 */
const widestCell = 44;

function shownWidth(cell = ''): number {
  return Math.min(widestCell, cell.length);
}

function cellsOf({ question, answer, seen }: Finding): string[] {
  return [question, answer ?? '?', seen];
}

export function jsonOf(checkup: Checkup): string {
  return JSON.stringify(checkup, null, 2);
}
