// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice A token that says of its balances whatever it was told to, and answers a transfer with any word or with nothing.
contract TellerToken {
    /// @notice What the token says of the payee before and after the transfer, and of everybody else afterwards.
    struct Told {
        address payee;
        uint256 beforehand;
        uint256 afterwards;
        uint256 elsewhere;
        bool silent;
        uint256 answer;
    }

    Told private told;
    bool private moved;

    constructor(Told memory told_) {
        told = told_;
    }

    function balanceOf(address account) external view returns (uint256) {
        if (account == told.payee) return moved ? told.afterwards : told.beforehand;
        return moved ? told.elsewhere : 0;
    }

    function transferFrom(address, address, uint256) external returns (uint256) {
        moved = true;
        if (!told.silent) return told.answer;
        assembly {
            return(0, 0)
        }
    }
}
