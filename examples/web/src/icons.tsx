// The app's icons, hidden from screen readers: each is next to its text or in a button with a label.

function createIcon(path: string) {
  return function Icon() {
    return (
      <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
        <path d={path} />
      </svg>
    );
  };
}

export const InIcon = createIcon('M12 5v14M6 13l6 6 6-6');
export const OutIcon = createIcon('M12 19V5M6 11l6-6 6 6');
export const UnknownIcon = createIcon('M9 9a3 3 0 1 1 4.6 2.5c-1 .7-1.6 1.4-1.6 3M12 18.5h.01');
export const CloseIcon = createIcon('M6 6l12 12M18 6L6 18');
export const SearchIcon = createIcon('M11 4a7 7 0 1 0 0 14a7 7 0 1 0 0-14M16 16l5 5');
export const ExportIcon = createIcon('M12 3v12M7 10l5 5 5-5M4 20h16');
export const UpdateIcon = createIcon('M20 11A8 8 0 1 0 18 17.3M20 4v7h-7');
export const OfflineIcon = createIcon(
  'M3 3l18 18M8.5 16.5a5 5 0 0 1 7 0M5 12.5a10 10 0 0 1 4-2.4M19 12.5a10 10 0 0 0-4.2-2.5M12 20h.01',
);
export const PixIcon = createIcon('M12 3l9 9-9 9-9-9zM8.5 12l3.5-3.5 3.5 3.5-3.5 3.5z');
export const TransferIcon = createIcon('M4 8h15M15 4l4 4-4 4M20 16H5M9 12l-4 4 4 4');
export const FeeIcon = createIcon('M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6');
export const QrCodeIcon = createIcon(
  'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2M20 14v6h-6M20 20h.01',
);
export const HideIcon = createIcon(
  'M2 12s4-7 10-7 10 7 10 7-4 7-10 7-10-7-10-7M12 9a3 3 0 1 0 0 6 3 3 0 1 0 0-6',
);
export const ShowIcon = createIcon(
  'M3 3l18 18M10 5.2c.6-.1 1.3-.2 2-.2 6 0 10 7 10 7a18 18 0 0 1-3 3.6M6 7a18 18 0 0 0-4 5s4 7 10 7c1.5 0 2.9-.4 4.1-1',
);
export const CopyIcon = createIcon('M9 9h11v11H9zM5 15H4V4h11v1');
export const ShareIcon = createIcon('M12 15V3M8 7l4-4 4 4M5 12v8h14v-8');
export const SumIcon = createIcon('M18 5H6l6 7-6 7h12');
export const HolderIcon = createIcon('M12 4a4 4 0 1 0 0 8 4 4 0 1 0 0-8M4 21a8 8 0 0 1 16 0');
