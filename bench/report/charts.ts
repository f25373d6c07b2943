// Draws the results as SVG charts.
import type { Growth } from '../growth.ts';
import type { Ratios } from './tables.ts';

const width = 880;
const own = '#0b6e4f';
const others = '#8a99a8';
const text = '#5b6770';

/** Half of a desktop's column, so that the text can be read on a phone. */
const ratioWidth = 440;

/**
 * The CPU time of reading 20 transactions for each contender, as a ratio to the first contender's, on a logarithmic
 * scale. The other workloads are in a table beside the chart.
 */
export function ratioChart(ratios: readonly Ratios[]): string {
  const [left, right, top, rowHeight] = [142, ratioWidth - 48, 62, 24];
  const [lowest, highest] = [0.5, 8];
  const scale = (right - left) / Math.log2(highest / lowest);
  const atX = (ratio: number) => left + Math.log2(Math.max(ratio, lowest) / lowest) * scale;
  const bottom = top + 6 + ratios.length * rowHeight;
  const grid = [0.5, 1, 2, 4, 8].map((ratio) => {
    const at = round(atX(ratio));
    const line = `<line x1="${at}" x2="${at}" y1="${top}" y2="${bottom}" stroke="${text}" stroke-opacity="${ratio === 1 ? 0.8 : 0.2}"/>`;
    return `${line}${label(at, bottom + 16, String(ratio), { anchor: 'middle', size: 12 })}`;
  });
  const bars = ratios.map(({ name, workloads: { page } }, index) => {
    const y = top + 6 + index * rowHeight;
    const end = round(atX(page));
    const isOwn = name === 'account-bff';
    const bar = `<rect x="${left}" y="${y + 2}" width="${round(end - left)}" height="${rowHeight - 7}" rx="2" fill="${isOwn ? own : others}"/>`;
    const weight = isOwn ? 'bold' : 'normal';
    const who = label(left - 8, y + 15, name, { anchor: 'end', size: 14, weight });
    const value = label(end + 6, y + 15, page.toFixed(2), { size: 14, weight });
    return bar + who + value;
  });
  const unit = label(12, 48, 'as a ratio to a REST handler by hand; less is better', { size: 14 });
  const title = 'CPU time of reading 20 transactions';
  return svg(ratioWidth, bottom + 28, title, [unit, ...grid, ...bars].join(''));
}

/** CPU time per operation by number of connections, with one line for each latency of the service. */
export function growthChart({ connections }: Growth): string {
  const height = 300;
  const [left, top, right, bottom] = [60, 52, width - 130, height - 44];
  const rows = connections.filter(({ cpuMicros }) => Number.isFinite(cpuMicros));
  const most = Math.max(...rows.map(({ cpuMicros }) => cpuMicros));
  const ceiling = Math.ceil(most / 100) * 100;
  const atX = (count: number) => round(left + (Math.log2(count) / 12) * (right - left));
  const atY = (micros: number) => round(bottom - (micros / ceiling) * (bottom - top));
  const xTicks = [1, 4, 16, 64, 256, 1024, 4096].map((count) =>
    label(atX(count), bottom + 18, count.toLocaleString('en'), { anchor: 'middle', size: 11 }),
  );
  const yTicks = [0, ceiling / 2, ceiling].map(
    (micros) =>
      `<line x1="${left}" x2="${right}" y1="${atY(micros)}" y2="${atY(micros)}" stroke="${text}" stroke-opacity="0.2"/>` +
      label(left - 8, atY(micros) + 4, String(micros), { anchor: 'end', size: 11 }),
  );
  const latencies = [...new Set(rows.map(({ latencyMs }) => latencyMs))];
  const colours = [own, '#c2571a', '#3b6fb6'];
  // Each label is at least 14 px above the previous one, so that labels do not overlap if lines end close together.
  let lowest = Infinity;
  const lines = latencies.map((latencyMs, index) => {
    const points = rows.filter((row) => row.latencyMs === latencyMs);
    const path = points.map((row) => `${atX(row.connections)},${atY(row.cpuMicros)}`).join(' ');
    const last = points.at(-1);
    const colour = colours[index] ?? text;
    const y = Math.min(atY(last?.cpuMicros ?? 0) + 4, lowest);
    lowest = y - 14;
    const name = label(right + 8, y, `service: ${latencyMs} ms`, { size: 12, colour });
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${name}`;
  });
  const axis = label((left + right) / 2, height - 8, 'connections', { anchor: 'middle', size: 12 });
  const title = 'CPU per operation in microseconds, 20 transactions, as connections grow';
  return svg(width, height, title, [...yTicks, ...xTicks, ...lines, axis].join(''));
}

interface LabelStyle {
  readonly size: number;
  readonly anchor?: 'middle' | 'end';
  readonly weight?: string;
  readonly colour?: string;
}

function label(
  x: number,
  y: number,
  content: string,
  { size, anchor, weight = 'normal', colour = text }: LabelStyle,
): string {
  const anchored = anchor === undefined ? '' : ` text-anchor="${anchor}"`;
  return `<text x="${round(x)}" y="${round(y)}" font-size="${size}" font-weight="${weight}" fill="${colour}"${anchored}>${content}</text>`;
}

function svg(width: number, height: number, title: string, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="sans-serif"><title>${title}</title><rect width="${width}" height="${height}" fill="#ffffff"/>${label(12, 24, title, { size: 15, weight: 'bold' })}${content}</svg>\n`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
