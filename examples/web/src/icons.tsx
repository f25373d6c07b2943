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
