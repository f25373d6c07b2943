// A failure as the person at the screen gets it, with a button for what can be done about it.
import { useEffect, useState } from 'react';
import type { Failure } from './failure.ts';

interface FailureNoticeProps {
  readonly failure: Failure | null;
  readonly onRetry: () => void;
  readonly onSignIn: () => void;
}

export function FailureNotice({ failure, onRetry, onSignIn }: FailureNoticeProps) {
  if (failure === null) return null;
  const { code, text, remedy, retryAfter } = failure;
  return (
    <div role="alert" className="failure" data-code={code}>
      <p>{text}</p>
      {remedy === 'sign-in' && (
        <button type="button" onClick={onSignIn}>
          Entrar
        </button>
      )}
      {(remedy === 'retry' || remedy === 'restart') && (
        <RetryButton key={code} waitSeconds={retryAfter ?? 0} onRetry={onRetry} />
      )}
    </div>
  );
}

interface RetryButtonProps {
  /** Until then another try would be refused as well. */
  readonly waitSeconds: number;
  readonly onRetry: () => void;
}

function RetryButton({ waitSeconds, onRetry }: RetryButtonProps) {
  const [isWaiting, setWaiting] = useState(waitSeconds > 0);
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setTimeout(() => setWaiting(false), waitSeconds * 1000);
    return () => clearTimeout(timer);
  }, [isWaiting, waitSeconds]);
  return (
    <button type="button" disabled={isWaiting} onClick={onRetry}>
      Tentar de novo{isWaiting && ` em ${waitSeconds} s`}
    </button>
  );
}
