// The duration of the service's answers, and the timeouts derived from it.
import { expected, type Finding, setting } from '../finding.ts';

/** The timeout of an exchange should be at least this multiple of the duration of the slowest answer. */
const margin = 4;

/** Recommends longer timeouts if those that are set are too short for the answers, except for the slowest. */
export function judgeLatency(durationsMs: readonly number[], setMs: number): Finding {
  // One answer may be slow for reasons of its own, such as a process that starts.
  const [slowestMs = 0] = durationsMs
    .map(Math.round)
    .toSorted((a, b) => b - a)
    .slice(1);
  const timeoutMs = Math.ceil((slowestMs * margin) / 1000) * 1000;
  if (timeoutMs <= setMs) return expected('latency');
  return setting('latency', `of ${durationsMs.length} answers, at least two took ${slowestMs} ms`, {
    UPSTREAM_TIMEOUT_MS: `${timeoutMs}`,
    OPERATION_TIMEOUT_MS: `${2 * timeoutMs}`,
  });
}
