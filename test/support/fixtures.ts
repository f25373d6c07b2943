// Banks and gateways that are closed after the tests that use them.
import { afterAll, beforeEach, onTestFinished } from 'vitest';
import { type Bank, type BankOptions, startBank } from '../../src/sandbox/bank.ts';
import { startTestGateway, type TestGateway } from './gateway.ts';

type GatewayParameters = Parameters<typeof startTestGateway>;

/** Starts a gateway for all tests of a file. Its bank is reset before each test. */
export async function gatewayOfFile(...settings: GatewayParameters): Promise<TestGateway> {
  const gateway = await startTestGateway(...settings);
  afterAll(() => gateway.close());
  beforeEach(() => gateway.bank.reset());
  return gateway;
}

/** Starts a bank for all tests of a file. The bank is reset before each test. */
export async function bankOfFile(options?: BankOptions): Promise<Bank> {
  const bank = await startBank(options);
  afterAll(() => bank.close());
  beforeEach(() => bank.reset());
  return bank;
}

/** Starts a gateway for one test, and closes the gateway after the test. */
export async function gatewayOfTest(...settings: GatewayParameters): Promise<TestGateway> {
  const gateway = await startTestGateway(...settings);
  onTestFinished(() => gateway.close());
  return gateway;
}
