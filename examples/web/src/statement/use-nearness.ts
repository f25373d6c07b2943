// Whether an element is near the viewport: only then does the content of a long list have to be in the document.
import { type RefObject, useEffect, useEffectEvent, useState } from 'react';

/** In CSS pixels, above and below the viewport: several screens of a phone, so that scrolling shows no gaps. */
const marginPx = 2000;

interface Nearness {
  readonly isNear: boolean;
  /** The height with this content when it was last near; null if it never was. */
  readonly heightPx: number | null;
}

/** `startsNear` counts until the browser has reported, after the first frame. */
export function useNearness(
  ref: RefObject<Element | null>,
  content: object,
  startsNear: boolean,
): Nearness {
  const [known, setKnown] = useState<Nearness & { readonly content: object | null }>({
    isNear: startsNear,
    heightPx: null,
    content: null,
  });
  const report = useEffectEvent(
    ({ isIntersecting, boundingClientRect: { height } }: IntersectionObserverEntry) =>
      setKnown({ isNear: isIntersecting, heightPx: height, content }),
  );
  useEffect(() => {
    if (ref.current === null) return undefined;
    return observe(ref.current, (entry) => report(entry));
  }, [ref]);
  return { isNear: known.isNear, heightPx: known.content === content ? known.heightPx : null };
}

type Listener = (entry: IntersectionObserverEntry) => void;

const listeners = new WeakMap<Element, Listener>();
let observer: IntersectionObserver | undefined;

/** Reports when an element comes near or goes far; returns a function that stops this. All share an observer. */
function observe(element: Element, listener: Listener): () => void {
  const shared = (observer ??= new IntersectionObserver(
    (entries) => {
      for (const entry of entries) listeners.get(entry.target)?.(entry);
    },
    { rootMargin: `${marginPx}px 0px` },
  ));
  listeners.set(element, listener);
  shared.observe(element);
  return () => shared.unobserve(element);
}
