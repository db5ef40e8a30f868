// For the type checker alone: what the injected files are given, and what the browser has that it does not know yet.

/** What the frame is told when the script is put into it; see script.py. */
declare const options: Options;

interface NavigateEvent extends Event {
  readonly destination: { readonly url: string; readonly sameDocument: boolean };
  readonly downloadRequest: string | null;
}

declare var navigation: undefined | {
  addEventListener(type: 'navigate', listener: (event: NavigateEvent) => void): void;
};
