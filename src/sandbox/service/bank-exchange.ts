// Serves one request to the service: journal, latency, and a fault or the answer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { readAsk, type Ask } from './ask.ts';
import type { Behaviours } from '../behaviour.ts';
import type { Connections } from './connections.ts';
import { sendFault } from '../faults/fault-answers.ts';
import type { Faults } from '../faults/faults.ts';
import type { Journal, OpenCall } from './journal.ts';
import type { Random } from '../random.ts';
import { sendAnswer } from './send.ts';
import type { Service } from './service.ts';

/** The parts of the bank that an exchange uses. */
export interface ExchangeParts {
  readonly basePath: string;
  readonly behaviours: Behaviours;
  readonly connections: Connections;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly random: Random;
  readonly service: Service;
  readonly now: () => number;
}

/**
 * Serves one request. Without latency, the answer is computed synchronously, so requests read the data in the order of
 * their arrival.
 */
export async function serveRequest(
  parts: ExchangeParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const ask = readAsk(request, parts.basePath, parts.now());
  const call = parts.journal.begin(request, response, ask);
  parts.connections.serves(response);
  const latencyMs = latencyOf(parts, ask);
  // `ref: false`, so that a closed bank does not keep its process running.
  if (latencyMs > 0) await sleep(latencyMs, undefined, { ref: false });
  // If the client has disconnected, the statement is not read and no fault is used up.
  if (!response.destroyed) answer(parts, ask, call, response);
}

function latencyOf({ behaviours, random }: ExchangeParts, { accountId }: Ask): number {
  const { latencyMs, latencyJitterMs } = behaviours.of(accountId);
  return latencyJitterMs > 0 ? latencyMs + random.next() * latencyJitterMs : latencyMs;
}

function answer(parts: ExchangeParts, ask: Ask, call: OpenCall, response: ServerResponse): void {
  const fault = parts.faults.strike(ask);
  if (fault === null) {
    sendAnswer(response, parts.service.answer(ask));
  } else {
    call.fault = fault.kind;
    sendFault(fault, {
      response,
      target: ask.target,
      answer: () => parts.service.answer(ask),
      willReset: () => (call.outcome = 'reset'),
    });
  }
  if (response.headersSent) call.status = response.statusCode;
}
