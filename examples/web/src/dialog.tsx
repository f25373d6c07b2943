// A modal dialog: the browser keeps the focus in it, closes it on Escape, and returns the focus.
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { CloseIcon } from './icons.tsx';
import { useText } from './text/language.tsx';

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Called after the dialog has closed. The parent then stops rendering it. */
  readonly onClose: () => void;
}

export function Dialog({ title, children, onClose }: DialogProps) {
  const text = useText();
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => ref.current?.showModal(), []);
  // The dialog is closed with its method `close`: if it were only removed, the focus would not return to its previous
  // place.
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
