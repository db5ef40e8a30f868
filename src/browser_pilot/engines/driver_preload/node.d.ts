// What the preload uses of Node's API.
declare class Buffer extends Uint8Array {
  static from(data: string | Uint8Array): Buffer;
  static concat(parts: Buffer[]): Buffer;
  indexOf(value: number, start?: number): number;
  subarray(start: number, end?: number): Buffer;
  toString(encoding?: string, start?: number, end?: number): string;
}

declare module "node:child_process" {
  export interface Pipe {
    emit(name: string, ...values: any[]): boolean;
    write(text: string): void;
    once(name: string, listener: () => void): void;
  }
  interface Child {
    stdio?: (Pipe | null)[];
  }
  const childProcess: {spawn: (command: string, args: unknown, options: unknown) => Child};
  export default childProcess;
}

declare function setInterval(callback: () => void, ms: number): {unref(): void};
declare function clearInterval(timer: {unref(): void}): void;
declare const process: {on(name: "unhandledRejection", listener: (reason: unknown) => void): void};
