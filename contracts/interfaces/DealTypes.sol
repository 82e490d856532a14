// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice The terms of one deal, as EIP-712 type `Deal(uint256 dealId,address token,address payee,address payer,uint256 amount,uint256 expiresAt)`.
/// @dev `token` zero is the native coin; `payer` zero lets anyone pay; `amount` in base units (wei for the native coin);
///      `expiresAt` in Unix seconds, exclusive: payable while `block.timestamp < expiresAt`.
struct Deal {
    uint256 dealId;
    address token;
    address payee;
    address payer;
    uint256 amount;
    uint256 expiresAt;
}

/// @notice One deal to put on the chain: its id and the EIP-712 hash of its terms.
struct DealKey {
    uint256 dealId;
    bytes32 termsHash;
}

/// @notice One call the batcher makes: `deals` are created on `diamond` (or cancelled, `termsHash` unused then).
struct DiamondBatch {
    address diamond;
    DealKey[] deals;
}
