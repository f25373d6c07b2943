// Draws a chart of the measurements of a soak test.

export interface Sample {
  /** Seconds since the start. */
  readonly seconds: number;
  /** Memory in use after garbage collection, without compiled code. */
  readonly memoryBytes: number;
  readonly codeBytes: number;
  readonly residentBytes: number;
  readonly sockets: number;
}

const width = 880;
const left = 70;
const right = 20;
const panelHeight = 110;
const panelGap = 56;
const top = 56;

interface Panel {
  readonly title: string;
  readonly values: readonly number[];
}

/** An SVG with panels for memory, sockets and resident memory; the first `warmUpSeconds` are shaded. */
export function plotOf(samples: readonly Sample[], warmUpSeconds: number): string {
  const seconds = samples.map((sample) => sample.seconds);
  const mib = (bytes: number) => bytes / 2 ** 20;
  const panels: Panel[] = [
    {
      title: 'memory in use after garbage collection, without compiled code, MiB',
      values: samples.map(({ memoryBytes }) => mib(memoryBytes)),
    },
    {
      title: 'sockets: clients, service, listeners',
      values: samples.map(({ sockets }) => sockets),
    },
    {
      title: 'resident memory, MiB: garbage and what the allocator keeps included',
      values: samples.map(({ residentBytes }) => mib(residentBytes)),
    },
  ];
  const height = top + panels.length * (panelHeight + panelGap);
  const end = seconds.at(-1) ?? 1;
  const drawn = panels.map((panel, nth) =>
    drawPanel(panel, top + nth * (panelHeight + panelGap), seconds, end, warmUpSeconds),
  );
  return `${head(height)}${drawn.join('')}</svg>\n`;
}

function drawPanel(
  { title, values }: Panel,
  y: number,
  seconds: readonly number[],
  end: number,
  warmUpSeconds: number,
): string {
  const highest = niceCeiling(Math.max(...values));
  const atX = (second: number) => round(left + (second / end) * (width - left - right));
  const atY = (value: number) => round(y + panelHeight * (1 - value / highest));
  const grid = [0, 0.5, 1].map((share) => {
    const lineY = atY(share * highest);
    return `  <path class="grid" d="M${left} ${lineY} H${width - right}" />
  <text class="soft end" x="${left - 8}" y="${lineY + 4}">${share * highest}</text>\n`;
  });
  const minutes = end / 60;
  const step = minutes > 10 ? 5 : minutes > 2 ? 1 : 0.5;
  const ticks = Array.from({ length: Math.floor(minutes / step) + 1 }, (_, nth) => nth * step);
  const labels = ticks.map(
    (minute) =>
      `  <text class="soft middle" x="${atX(minute * 60)}" y="${y + panelHeight + 18}">${minute} min</text>\n`,
  );
  const points = values.map((value, index) => `${atX(seconds[index] ?? 0)} ${atY(value)}`);
  return `
  <text class="label" x="${left}" y="${y - 12}">${title}</text>
  <rect class="zone" x="${left}" y="${y}" width="${round(atX(warmUpSeconds) - left)}" height="${panelHeight}" />
${[...grid, ...labels].join('')}  <path class="line" d="M${points.join(' L')}" />
`;
}

/** The smallest number of the form 1, 2, 4, 6 or 8 times a power of ten that is not below the value. */
function niceCeiling(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6, 8, 10].find((digit) => digit * unit >= value) ?? 10) * unit;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function head(height: number): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc">
  <title id="title">Memory and sockets of a gateway while it soaks</title>
  <desc id="desc">
    Memory in use after garbage collection, resident memory and open sockets over the time of a soak. The shaded part is
    the warm-up, which the trend leaves out.
  </desc>
  <style>
    .page { fill: #ffffff; stroke: #d1d9e0; }
    .zone { fill: #f6f8fa; }
    .grid { stroke: #d1d9e0; }
    .label { fill: #1f2328; }
    .soft { fill: #59636e; }
    .line { stroke: #0969da; }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117; stroke: #3d444d; }
      .zone { fill: #151b23; }
      .grid { stroke: #3d444d; }
      .label { fill: #f0f6fc; }
      .soft { fill: #9198a1; }
      .line { stroke: #4493f8; }
      }
    text { font-family: -apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, 'DejaVu Sans', sans-serif; font-size: 12px; }
    .label { font-size: 13px; font-weight: 600; }
    .end { text-anchor: end; }
    .middle { text-anchor: middle; }
    path { fill: none; }
    .line { stroke-width: 2; }
  </style>
  <rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="12" />
`;
}
