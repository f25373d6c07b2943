// The doctor's report for people: first the verdict, with the settings to use; then each finding with its consequence.
import type { Checkup } from './checkup.ts';
import { counted, type Finding, type Outcome } from './finding.ts';

export function reportOf(checkup: Checkup): string {
  const { verdict, settings, findings, read, durationsMs } = checkup;
  const of = (outcome: Outcome) => findings.filter((finding) => finding.outcome === outcome);
  const fatal = of('fatal');
  const variables = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const sections = [
    verdict === 'cannot work'
      ? [`The service cannot work, because:`, ...fatal.flatMap(linesOf)]
      : [
          `The service ${verdict === 'works as it is' ? verdict : 'works with these settings'}:`,
          '',
          ...variables,
        ],
    section('Why these settings:', of('setting').flatMap(linesOf)),
    section('What clients will notice:', of('notice').flatMap(linesOf)),
    section('Not determined:', of('unknown').flatMap(linesOf)),
    section('As expected:', expectedLines(of('expected'))),
    [
      ...(read === null ? [] : [`With these settings, the gateway has read ${read}.`]),
      ...(durationsMs.length === 0 ? [] : [`${timesOf(durationsMs)}.`]),
    ],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines];
}

function linesOf({ id, seen, here, there }: Finding): string[] {
  return [
    ...wrapped(`${id}: ${seen}`, '  ', '    '),
    ...(here === undefined ? [] : wrapped(here, '    here:  ', '           ')),
    ...(there === undefined ? [] : wrapped(there, '    there: ', '           ')),
  ];
}

function expectedLines(findings: readonly Finding[]): string[] {
  const ids = new Set(findings.map(({ id }) => id));
  return ids.size === 0 ? [] : wrapped([...ids].join(', '), '  ', '  ');
}

const lineLength = 100;

/** Breaks a text between words. The first line begins with `first`, and the others with `others`. */
function wrapped(text: string, first: string, others: string): string[] {
  const width = lineLength - others.length;
  const lines = text.match(RegExp(`(?:\\S.{0,${width - 1}}|\\S+)(?!\\S)`, 'g')) ?? [];
  return lines.map((line, index) => (index === 0 ? first : others) + line);
}

/** The number of answers of the service, and their durations. */
function timesOf(durationsMs: readonly number[]): string {
  const sorted = durationsMs.map(Math.round).sort((a, b) => a - b);
  const [median = 0, slowest = 0] = [sorted[sorted.length >> 1], sorted.at(-1)];
  return `${counted(sorted.length, 'answer')} of the service, ${median} ms at the median, ${slowest} ms at most`;
}

/** The checkup as JSON, without the durations of the answers. */
export function jsonOf({ verdict, settings, findings }: Checkup): string {
  return JSON.stringify({ verdict, settings, findings }, null, 2);
}
