// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice The functions of a token that diamonds call (ERC-20, EIP-2612). What they answer is not believed.
interface IERC20 {
    /// @notice Balance of an account.
    /// @param account Any address.
    /// @return Base units.
    function balanceOf(address account) external view returns (uint256);

    /// @notice Moves the caller's tokens.
    /// @param to Who receives them.
    /// @param amount Base units.
    /// @return Whether it worked; many tokens answer nothing.
    function transfer(address to, uint256 amount) external returns (bool);

    /// @notice Moves tokens of `from` by the caller's allowance.
    /// @param from Who pays.
    /// @param to Who receives them.
    /// @param amount Base units.
    /// @return Whether it worked; many tokens answer nothing.
    function transferFrom(address from, address to, uint256 amount) external returns (bool);

    /// @notice Sets an allowance by the owner's signature (EIP-2612).
    /// @param owner Who signed.
    /// @param spender Who may move the tokens.
    /// @param amount Base units.
    /// @param deadline Unix seconds after which the signature is void.
    /// @param v Recovery byte of the signature.
    /// @param r First half of the signature.
    /// @param s Second half of the signature.
    function permit(address owner, address spender, uint256 amount, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external;
}
