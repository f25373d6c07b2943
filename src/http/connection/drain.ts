// The phase of the gateway: starting, serving or draining.

type Phase = 'starting' | 'serving' | 'draining';

export class Drain {
  #phase: Phase = 'starting';

  enter(phase: Phase): void {
    this.#phase = phase;
  }

  /** Whether load balancers should send requests. */
  get isReady(): boolean {
    return this.#phase === 'serving';
  }

  /** Whether each answer closes its connection. */
  get isDraining(): boolean {
    return this.#phase === 'draining';
  }
}
