// The doctor's HTTP client if the service does not answer.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createService } from '../../../doctor/probe.ts';

/** Starts a service that closes the connections of the requests with these numbers, the first being 1. */
async function serviceWithout(...lost: number[]) {
  let requests = 0;
  const listener: RequestListener = ({ socket }, response) => {
    if (lost.includes(++requests)) socket.destroy();
    else response.end('{}');
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return createService({ url, token: 't', tenant: 'x', timeoutMs: 5000 });
}

test('a request is sent again if its connection fails', async () => {
  const service = await serviceWithout(1, 3);
  expect((await service.get('/persons')).status).toBe(200);
  expect((await service.get('/companies')).status).toBe(200);
});

test('a request without an answer has no status if another one was answered', async () => {
  const service = await serviceWithout(2, 3);
  await service.get('/persons');
  expect((await service.get('/companies')).status).toBe('no answer');
  expect((await service.get('/companies')).status).toBe(200);
  expect(service.durationsMs).toHaveLength(2);
});

test('the error for a service that never answered names the path without ids', async () => {
  const service = await serviceWithout(1, 2);
  await expect(service.get('/accounts/77/transactions')).rejects.toThrow(
    /^The service did not answer GET \/accounts\/\{accountId\}\/transactions: UND_ERR_SOCKET\.$/,
  );
});
