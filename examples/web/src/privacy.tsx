// Amounts can be hidden, for example on a bus. The choice is that of this visit, and is not stored.
import { createContext, type ReactNode, use, useState } from 'react';
import { HideIcon, ShowIcon } from './icons.tsx';
import { useText } from './text/language.tsx';

const PrivacyContext = createContext<{ readonly isHidden: boolean; readonly toggle: () => void }>({
  isHidden: false,
  toggle: () => undefined,
});

export function PrivacyProvider({ children }: { readonly children: ReactNode }) {
  const [isHidden, setHidden] = useState(false);
  const toggle = () => setHidden(!isHidden);
  return <PrivacyContext value={{ isHidden, toggle }}>{children}</PrivacyContext>;
}

/** An amount, or dots in its place, so that not even its length is visible. */
export function Amount({ children }: { readonly children: string }) {
  const text = useText();
  if (!use(PrivacyContext).isHidden) return children;
  return (
    <span role="img" aria-label={text.hiddenAmount}>
      R$ ••••
    </span>
  );
}

/** The button that hides or shows all amounts. */
export function PrivacyButton() {
  const text = useText();
  const { isHidden, toggle } = use(PrivacyContext);
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={text.hideAmounts}
      aria-pressed={isHidden}
      onClick={toggle}
    >
      {isHidden ? <ShowIcon /> : <HideIcon />}
    </button>
  );
}
