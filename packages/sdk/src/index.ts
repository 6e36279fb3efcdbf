// What a host application installs.
export {};
