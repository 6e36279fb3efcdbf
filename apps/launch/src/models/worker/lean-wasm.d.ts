// See build/lean-runtime.ts.
declare module '*?url&lean' {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: Vite's own are like that
  export default url;
}
