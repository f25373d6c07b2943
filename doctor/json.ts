// JSON of the service as plain values, for what the gateway's own reader does not keep.

/** Undefined if the text is not JSON, which the gateway's reader then reports. */
export function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
