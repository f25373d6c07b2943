// Whether the device has a network, according to the browser.
import { useSyncExternalStore } from 'react';

/** Rerenders when the network changes. True only means that there is a network, not that the gateway answers. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribe, () => navigator.onLine);
}

function subscribe(onChange: () => void): () => void {
  const listeners = new AbortController();
  addEventListener('online', onChange, { signal: listeners.signal });
  addEventListener('offline', onChange, { signal: listeners.signal });
  return () => listeners.abort();
}
