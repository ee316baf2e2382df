// How this terminal's screen speaks to its customers, by its configuration.
export const style = await (await fetch('style.json')).json();

document.documentElement.dataset.reader = style.readerPosition ?? 'unknown';
