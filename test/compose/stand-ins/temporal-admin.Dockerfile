FROM node:24.21.0-bookworm-slim
RUN userdel --remove node && useradd --uid 1000 --create-home temporal
COPY temporal-sql-tool temporal /usr/local/bin/
USER temporal
