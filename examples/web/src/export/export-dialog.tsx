// The dialog for the export of a period. It shows first the choice of format and days, then the progress, then the
// file.
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { zoneName } from '../dates.ts';
import { Dialog } from '../dialog.tsx';
import { FailureNotice } from '../failure-notice.tsx';
import type { Account } from '../home.tsx';
import { ExportIcon } from '../icons.tsx';
import { formatReais } from '../money.ts';
import { Amount } from '../privacy.tsx';
import { PeriodFields } from '../statement/period-filter.tsx';
import type { Period } from '../statement/period.ts';
import { useText } from '../text/language.tsx';
import type { Text } from '../text/pt.ts';
import type { ExportedFile, ExportFormat } from './file.ts';
import { type ExportState, useExport } from './use-export.ts';

interface ExportDialogProps {
  readonly account: Account;
  /** The period that is initially chosen. */
  readonly period: Period;
  readonly timeZone: string;
  readonly onSignIn: () => Promise<boolean>;
  readonly onClose: () => void;
}

export function ExportDialog(props: ExportDialogProps) {
  const { account, timeZone, onSignIn, onClose } = props;
  const text = useText();
  const { state, start, resume, cancel } = useExport();
  const [period, setPeriod] = useState(props.period);
  const [format, setFormat] = useState<ExportFormat>('csv');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    start({ account, period, timeZone, format, text });
  };
  const isUnderWay = state.phase === 'reading' || state.phase === 'failed';
  return (
    <Dialog title={text.exportTitle} onClose={onClose}>
      <Announcement state={state} />
      {state.phase === 'choosing' && (
        <form className="export" onSubmit={submit}>
          <FormatChoice format={format} onChange={setFormat} />
          <PeriodFields period={period} onChange={setPeriod} />
          <p className="quiet">
            {text.exportHint} {text.wholeDays(zoneName(text.locale, timeZone))}
          </p>
          <button type="submit" className="primary">
            <ExportIcon />
            {text.exportStart}
          </button>
        </form>
      )}
      {state.phase === 'reading' && <Progress read={state.read} total={state.total} />}
      {state.phase === 'failed' && (
        <FailureNotice failure={state.failure} onRetry={resume} onSignIn={onSignIn} />
      )}
      {isUnderWay && <CancelButton onCancel={cancel} />}
      {state.phase === 'done' && <Result file={state.file} url={state.url} />}
    </Dialog>
  );
}

/** Rendered from the start, so that a screen reader announces changes of its text. */
function Announcement({ state }: { readonly state: ExportState }) {
  const text = useText();
  return (
    <p role="status" className={state.phase === 'reading' ? 'only-read' : 'quiet'}>
      {announcementOf(state, text)}
    </p>
  );
}

/** Announces the progress at every quarter, not at every slice. For a failure, its notice makes the announcement. */
function announcementOf(state: ExportState, text: Text): string {
  switch (state.phase) {
    case 'choosing':
      return state.wasCanceled ? text.exportCanceled : '';
    case 'reading':
      return `${text.exportRunning} ${25 * Math.floor((4 * state.read) / Math.max(1, state.total))} %`;
    case 'failed':
      return '';
    case 'done':
      return text.exportDone;
  }
}

interface FormatChoiceProps {
  readonly format: ExportFormat;
  readonly onChange: (format: ExportFormat) => void;
}

function FormatChoice({ format, onChange }: FormatChoiceProps) {
  const text = useText();
  return (
    <fieldset>
      <legend>{text.exportFormat}</legend>
      {(['csv', 'ofx'] as const).map((choice) => (
        <label key={choice} className="choice">
          <input
            type="radio"
            name="format"
            checked={choice === format}
            onChange={() => onChange(choice)}
          />
          <span>
            <strong>{text.exportFormats[choice].name}</strong>
            <small>{text.exportFormats[choice].use}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Progress({ read, total }: { readonly read: number; readonly total: number }) {
  const text = useText();
  const numbers = new Intl.NumberFormat(text.locale);
  return (
    <div className="progress">
      {/* While the total is unknown, the bar has no value and moves back and forth. */}
      <progress
        aria-label={text.exportProgress}
        {...(total === 0 ? {} : { max: total, value: read })}
      />
      <p>
        {total === 0
          ? text.exportRunning
          : text.exportRead(numbers.format(read), numbers.format(total))}
      </p>
    </div>
  );
}

/** Takes the focus, because the button that started the export is gone. */
function CancelButton({ onCancel }: { readonly onCancel: () => void }) {
  const text = useText();
  const ref = useRef<HTMLButtonElement>(null);
  useEffect(() => ref.current?.focus(), []);
  return (
    <button ref={ref} type="button" onClick={onCancel}>
      {text.exportCancel}
    </button>
  );
}

/** Saves the file at once, and again when its link is clicked. */
function Result({ file, url }: { readonly file: ExportedFile; readonly url: string }) {
  const text = useText();
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    link.current?.focus();
    link.current?.click();
  }, [url]);
  return (
    <div className="result">
      <dl>
        <div>
          <dt>{text.exportCount}</dt>
          <dd>{new Intl.NumberFormat(text.locale).format(file.count)}</dd>
        </div>
        {file.sums.map(({ status, sum }) => (
          <div key={status}>
            <dt>{text.exportSums[status]}</dt>
            <dd>
              <Amount>{formatReais(sum, text.locale)}</Amount>
            </dd>
          </div>
        ))}
      </dl>
      {file.withoutAmount > 0 && (
        <p className="quiet">{text.exportWithoutAmount(file.withoutAmount)}</p>
      )}
      {file.leftOut > 0 && <p className="quiet">{text.exportLeftOut(file.leftOut)}</p>}
      {file.unreadable > 0 && <p className="quiet">{text.exportUnreadable(file.unreadable)}</p>}
      <a ref={link} className="button primary" href={url} download={file.name}>
        <ExportIcon />
        {text.exportAgain}
      </a>
    </div>
  );
}
