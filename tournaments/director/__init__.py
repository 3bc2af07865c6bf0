"""What runs seasons by itself: rounds are opened, results recorded, rounds closed."""
