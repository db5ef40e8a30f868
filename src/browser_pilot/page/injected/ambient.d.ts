// For the type checker alone: what the browser has and the checker does not know yet.

interface NavigateEvent extends Event {
  readonly destination: { readonly url: string; readonly sameDocument: boolean };
  readonly downloadRequest: string | null;
  readonly formData: FormData | null;
  readonly sourceElement?: Element | null;
}

declare var navigation: undefined | {
  addEventListener(type: 'navigate', listener: (event: NavigateEvent) => void): void;
  removeEventListener(type: 'navigate', listener: (event: NavigateEvent) => void): void;
};
