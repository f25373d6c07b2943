// Placeholders of the size of what is being loaded, so that nothing moves when it arrives.
import { useText } from './text/language.tsx';

interface SkeletonProps {
  readonly of: 'accounts' | 'chips' | 'lines';
  readonly count: number;
}

export function Skeleton({ of, count }: SkeletonProps) {
  const text = useText();
  return (
    <>
      <span className="only-read">{text.loading}</span>
      <div className="skeleton" data-of={of} aria-hidden="true">
        {Array.from({ length: count }, (_, index) => (
          <span key={index} />
        ))}
      </div>
    </>
  );
}
