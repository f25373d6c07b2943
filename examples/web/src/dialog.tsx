// A modal dialog: the browser keeps the focus in it, closes it with Escape, and gives the focus back.
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { CloseIcon } from './icons.tsx';
import { useText } from './text/language.tsx';

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** After it closed: render it no longer. */
  readonly onClose: () => void;
}

export function Dialog({ title, children, onClose }: DialogProps) {
  const text = useText();
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => ref.current?.showModal(), []);
  // Closed by its method, not by removing it: only then the focus returns to where it was.
  const close = () => ref.current?.close();
  return (
    <dialog ref={ref} aria-labelledby={titleId} onClose={onClose}>
      <div className="dialog-title">
        <h2 id={titleId}>{title}</h2>
        <button type="button" className="icon-button" aria-label={text.close} onClick={close}>
          <CloseIcon />
        </button>
      </div>
      {children}
    </dialog>
  );
}
