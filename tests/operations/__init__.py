"""What operators see: health, metrics, logs, the doctor."""
