// The life of the listeners: starting, serving, draining.

type Phase = 'starting' | 'serving' | 'draining';

/** Which phase the gateway is in; one a process. */
export class Drain {
  #phase: Phase = 'starting';

  enter(phase: Phase): void {
    this.#phase = phase;
  }

  /** Whether load balancers should send requests. */
  get isReady(): boolean {
    return this.#phase === 'serving';
  }

  /** Whether a connection ends with the answer that it carries. */
  get isDraining(): boolean {
    return this.#phase === 'draining';
  }
}
