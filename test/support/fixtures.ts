// Banks and gateways that are closed after the tests that use them.
import { afterAll, beforeEach, onTestFinished } from 'vitest';
import { type Bank, type BankOptions, startBank } from '../../src/sandbox/bank.ts';
import { startTestGateway, type TestGateway } from './gateway.ts';

type GatewayParameters = Parameters<typeof startTestGateway>;

/** A gateway for all tests of a file. Its bank is reset before each test. */
export async function gatewayOfFile(...settings: GatewayParameters): Promise<TestGateway> {
  const gateway = await startTestGateway(...settings);
  afterAll(() => gateway.close());
  beforeEach(() => gateway.bank.reset());
  return gateway;
}

/** A bank for all tests of a file. It is reset before each test. */
export async function bankOfFile(options?: BankOptions): Promise<Bank> {
  const bank = await startBank(options);
  afterAll(() => bank.close());
  beforeEach(() => bank.reset());
  return bank;
}

/** A gateway for one test, which is closed after the test. */
export async function gatewayOfTest(...settings: GatewayParameters): Promise<TestGateway> {
  const gateway = await startTestGateway(...settings);
  onTestFinished(() => gateway.close());
  return gateway;
}
