// The duration of the service's answers, and the timeouts derived from it.
import { counted, type Finding } from '../finding.ts';

const defaultTimeoutMs = 5000;
/**
 * The timeout of an exchange is this multiple of the duration of the slowest answer, or the default if that is longer.
 */
const margin = 4;

/** Reports how long answers take, and derives the timeouts of an exchange and of an operation. */
export function judgeLatency(durationsMs: readonly number[]): Finding {
  const sorted = durationsMs.map(Math.round).sort((a, b) => a - b);
  const slowest = sorted.at(-1) ?? 0;
  const median = sorted[sorted.length >> 1] ?? 0;
  const timeoutMs = Math.max(defaultTimeoutMs, Math.ceil((slowest * margin) / 1000) * 1000);
  return {
    id: 'latency',
    question: 'How long does an answer take?',
    answer: `${median} ms, ${slowest} ms at most`,
    seen: counted(sorted.length, 'answer'),
    settings: {
      UPSTREAM_TIMEOUT_MS: `${timeoutMs}`,
      OPERATION_TIMEOUT_MS: `${2 * timeoutMs}`,
    },
  };
}
