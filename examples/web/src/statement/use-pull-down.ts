// The pull-down gesture on a phone: at the top of the page, a finger pulls down and releases.
import { useEffect, useEffectEvent, useState } from 'react';

/** The distance to pull, in CSS pixels: farther than an accidental movement. */
const distance = 80;

/** Calls `onPulled` after the gesture; returns whether releasing now would call it. */
export function usePullDown(onPulled: () => void): boolean {
  const [isPulled, setPulled] = useState(false);
  const end = useEffectEvent(() => {
    if (isPulled) onPulled();
    setPulled(false);
  });
  useEffect(() => {
    const listeners = new AbortController();
    const options = { passive: true, signal: listeners.signal };
    let startY: number | null = null;
    const onStart = ({ touches }: TouchEvent) => {
      startY = scrollY <= 0 ? (touches[0]?.clientY ?? null) : null;
    };
    const onMove = ({ touches }: TouchEvent) => {
      if (startY !== null) setPulled((touches[0]?.clientY ?? 0) - startY > distance);
    };
    addEventListener('touchstart', onStart, options);
    addEventListener('touchmove', onMove, options);
    addEventListener('touchend', end, options);
    return () => listeners.abort();
  }, []);
  return isPulled;
}
