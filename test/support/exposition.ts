// Reads Prometheus' text format as a scraper does.
import { ask } from './query.ts';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Exposition {
  readonly text: string;
  readonly samples: readonly Sample[];
  /** The type and help text of each metric, by name. The names of a histogram's samples have a suffix. */
  readonly metrics: ReadonlyMap<string, { readonly type: string; readonly help: string }>;
  /** The sum of all samples with this name and these labels, whatever other labels they have; 0 if there are none. */
  readonly total: (name: string, labels?: Readonly<Record<string, string>>) => number;
}

/** Scrapes a gateway; throws if a sample is not in the format. */
export async function scrape({ adminUrl }: { readonly adminUrl: string }): Promise<Exposition> {
  const { text } = await ask(`${adminUrl}/metrics`);
  return parseExposition(text);
}

export function parseExposition(text: string): Exposition {
  const lines = text.split('\n').filter((line) => line !== '');
  const samples = lines.filter((line) => !line.startsWith('#')).map(parseSample);
  return {
    text,
    samples,
    metrics: parseMetrics(lines),
    total: (name, labels = {}) =>
      samples
        .filter((sample) => sample.name === name && hasLabels(sample, labels))
        .reduce((sum, { value }) => sum + value, 0),
  };
}

function hasLabels({ labels }: Sample, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

function parseMetrics(lines: readonly string[]): Exposition['metrics'] {
  const help = new Map(matches(lines, /^# HELP (\S+) (.+)$/));
  return new Map(
    matches(lines, /^# TYPE (\S+) (\S+)$/).map(([name, type]) => [
      name,
      { type, help: help.get(name) ?? '' },
    ]),
  );
}

function matches(lines: readonly string[], pattern: RegExp): [string, string][] {
  return lines.flatMap((line) => {
    const [, name, rest] = pattern.exec(line) ?? [];
    return name === undefined || rest === undefined ? [] : [[name, rest]];
  });
}

const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)",?/y;

function parseSample(line: string): Sample {
  const [, name, labels = '', value] = sample.exec(line) ?? [];
  if (name === undefined) throw new Error(`no sample: ${line}`);
  return { name, labels: parseLabels(labels), value: Number(value) };
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  label.lastIndex = 0;
  while (label.lastIndex < text.length) {
    const [, name, value] = label.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new Error(`no labels: ${text}`);
    labels[name] = JSON.parse(`"${value}"`) as string;
  }
  return labels;
}
