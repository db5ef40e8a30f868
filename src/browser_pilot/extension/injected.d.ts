// What the scripts of the picker put into the extension's own world of a page, for one another.

declare var browserPilotWords: {
  roleOf(element: Element): string;
  nameOf(element: Element, role?: string): string;
  isRendered(element: Element): boolean;
  tidy(text: string): string;
};
declare var browserPilotSelectors: {
  isGenerated(word: string): boolean;
  candidatesOf(described: any): { kind: string; selector: string; fragile: boolean }[];
  choose(described: any, count: (selector: string) => number): Counted[];
  quoted(value: string): string;
  escaped(word: string): string;
  literal(text: string): string;
};
declare var browserPilotPage: {
  selectorsOf(element: Element): Counted[];
  find(selector: string): Element[];
  describe(element: Element): unknown;
};
declare var browserPilotPicker: { end(): void } | undefined;
