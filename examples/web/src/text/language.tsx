// The language of the page, Portuguese or English: initially the browser's, then the one chosen with the button.
import { createContext, type ReactNode, use, useLayoutEffect, useState } from 'react';
import { en } from './en.ts';
import { pt, type Text } from './pt.ts';

const TextContext = createContext<{ readonly text: Text; readonly toggle: () => void }>({
  text: pt,
  toggle: () => undefined,
});

/** Portuguese, as for a Brazilian bank, unless the browser's first language is English. */
function initialText(): Text {
  return navigator.language.startsWith('en') ? en : pt;
}

export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [text, setText] = useState(initialText);
  useLayoutEffect(() => {
    document.documentElement.lang = text.locale;
  }, [text]);
  const toggle = () => setText(text === pt ? en : pt);
  return <TextContext value={{ text, toggle }}>{children}</TextContext>;
}

/** The texts of the current language. */
export function useText(): Text {
  return use(TextContext).text;
}

/** The button that switches to the other language. */
export function LanguageButton() {
  const { text, toggle } = use(TextContext);
  return (
    <button
      type="button"
      className="quiet-button"
      lang={text.locale === 'en' ? 'pt-BR' : 'en'}
      onClick={toggle}
    >
      {text.otherLanguage}
    </button>
  );
}
