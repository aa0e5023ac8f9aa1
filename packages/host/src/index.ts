// What a config file is written with, so that it needs to import nothing else.
export type { ChannelContext, ChannelDelivery, NotificationChannel, SendErrorClass, SendResult } from '@bellhop/contracts';
export type { KernelPlugin } from '@bellhop/kernel';
export { defineConfig, type HostConfig, type HostOptions, type LogLevel } from './config/host-config.js';
export { createHost, DEFAULT_HOST, DEFAULT_PORT, type Host, type HostPorts } from './host.js';
export { KEY_CACHE_MS } from './keys/key-check.js';
export { type ApiKeyRecord, KeyStore, type MadeKey, type Revocation } from './keys/key-store.js';
export { createLogger } from './logger.js';
export type { HostPlugin } from './plugins.js';
