// Describes a failure to the user, with a button for the remedy.
import { useEffect, useState } from 'react';
import { type Failure, failureText } from './failure.ts';
import { useText } from './text/language.tsx';

interface FailureNoticeProps {
  readonly failure: Failure | null;
  readonly onRetry: () => void;
  /** Resolves to true if the request can then be repeated. */
  readonly onSignIn: () => Promise<boolean>;
}

export function FailureNotice({ failure, onRetry, onSignIn }: FailureNoticeProps) {
  const text = useText();
  if (failure === null) return null;
  const { code, remedy, retryAfter } = failure;
  const signInAndRetry = async () => {
    if (await onSignIn()) onRetry();
  };
  return (
    <div role="alert" className="failure" data-code={code}>
      <p>{failureText(failure, text)}</p>
      {remedy === 'sign-in' && (
        <button type="button" onClick={() => void signInAndRetry()}>
          {text.signIn}
        </button>
      )}
      {(remedy === 'retry' || remedy === 'restart') && (
        <RetryButton key={code} waitSeconds={retryAfter ?? 0} onRetry={onRetry} />
      )}
    </div>
  );
}

interface RetryButtonProps {
  /** Seconds until the button is enabled. An earlier attempt would be rejected too. */
  readonly waitSeconds: number;
  readonly onRetry: () => void;
}

function RetryButton({ waitSeconds, onRetry }: RetryButtonProps) {
  const text = useText();
  const [isWaiting, setWaiting] = useState(waitSeconds > 0);
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setTimeout(() => setWaiting(false), waitSeconds * 1000);
    return () => clearTimeout(timer);
  }, [isWaiting, waitSeconds]);
  return (
    <button type="button" disabled={isWaiting} onClick={onRetry}>
      {isWaiting ? text.retryIn(waitSeconds) : text.retry}
    </button>
  );
}
